// Everything here is comfort: each page reads complete without it.
(function () {
  "use strict";

  // Light and dark: the reader's system decides until the button is used; the choice is kept.
  var root = document.documentElement;
  var toggle = document.querySelector(".theme-toggle");
  var system = window.matchMedia("(prefers-color-scheme: dark)");
  function dark() {
    return root.dataset.theme ? root.dataset.theme === "dark" : system.matches;
  }
  function say() {
    toggle.setAttribute("aria-pressed", String(dark()));
    toggle.title = dark() ? "Light colours" : "Dark colours";
  }
  if (toggle) {
    toggle.hidden = false;
    say();
    system.addEventListener("change", say);
    toggle.addEventListener("click", function () {
      var next = dark() ? "light" : "dark";
      root.dataset.theme = next;
      try { localStorage.setItem("verdict-atlas-theme", next); } catch (e) { /* private window */ }
      say();
    });
  }

  // Tabs: without this script the panes stand one below the other, the list linking to them.
  document.querySelectorAll(".panel-tabset").forEach(function (set) {
    var list = set.querySelector("ul");
    if (!list) return;
    var links = Array.from(list.querySelectorAll("a"));
    var panes = links.map(function (a) { return document.getElementById(a.hash.slice(1)); });
    list.setAttribute("role", "tablist");
    function show(i, focus) {
      links.forEach(function (a, j) {
        a.setAttribute("aria-selected", String(i === j));
        a.tabIndex = i === j ? 0 : -1;
        panes[j].hidden = i !== j;
      });
      if (focus) links[i].focus();
    }
    links.forEach(function (a, i) {
      a.parentNode.setAttribute("role", "presentation");
      a.setAttribute("role", "tab");
      a.id = a.hash.slice(1) + "-tab";
      a.setAttribute("aria-controls", a.hash.slice(1));
      panes[i].setAttribute("role", "tabpanel");
      panes[i].setAttribute("aria-labelledby", a.id);
      panes[i].tabIndex = 0;
      a.addEventListener("click", function (e) { e.preventDefault(); show(i, false); });
      a.addEventListener("keydown", function (e) {
        var step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
        if (step) { e.preventDefault(); show((i + step + links.length) % links.length, true); }
        if (e.key === " ") { e.preventDefault(); show(i, false); }
      });
    });
    set.classList.add("ready");
    show(0, false);
  });

  // What scrolls sideways can be reached by keyboard, and shows that there is more.
  document.querySelectorAll(".scroll").forEach(function (box) {
    function check() {
      var more = box.scrollWidth > box.clientWidth + 1;
      box.classList.toggle("overflows", more);
      if (more) { box.tabIndex = 0; box.setAttribute("role", "group"); } else { box.removeAttribute("tabindex"); box.removeAttribute("role"); }
    }
    check();
    if (window.ResizeObserver) new ResizeObserver(check).observe(box);
  });

  // The table of contents is folded on small screens and marks the section in view.
  var toc = document.querySelector(".toc");
  if (toc) {
    var fold = toc.querySelector("details");
    var narrow = window.matchMedia("(max-width: 67.99em)");
    var fit = function () { if (fold) fold.open = !narrow.matches; };
    fit();
    narrow.addEventListener("change", fit);
    var marks = Array.from(toc.querySelectorAll("a")).map(function (a) {
      return { link: a, target: document.getElementById(decodeURIComponent(a.hash.slice(1))) };
    }).filter(function (m) { return m.target; });
    var waiting = false;
    var mark = function () {
      waiting = false;
      var current = marks[0];
      marks.forEach(function (m) { if (m.target.getBoundingClientRect().top < 140) current = m; });
      marks.forEach(function (m) {
        if (m === current) m.link.setAttribute("aria-current", "true");
        else m.link.removeAttribute("aria-current");
      });
    };
    if (marks.length) {
      mark();
      window.addEventListener("scroll", function () {
        if (!waiting) { waiting = true; window.requestAnimationFrame(mark); }
      }, { passive: true });
    }
  }

  // Folded parts open for print and when a link leads into them.
  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("main details").forEach(function (d) { d.open = true; });
  });
  function open() {
    var target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (var el = target; el; el = el.parentElement) if (el.tagName === "DETAILS") el.open = true;
  }
  window.addEventListener("hashchange", open);
  open();
})();
