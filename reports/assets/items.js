// Finding in the list of items. Without this script the list stands complete.
(function () {
  "use strict";
  var controls = document.getElementById("controls");
  var rows = Array.from(document.querySelectorAll(".listed tbody tr"));
  if (!controls || !rows.length) return;

  var texts = rows.map(function (row) { return row.textContent.toLowerCase(); });
  var find = document.getElementById("find");
  var shown = controls.querySelector(".shown");
  function draw() {
    var words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    var n = 0;
    rows.forEach(function (row, i) {
      var fits = words.every(function (word) { return texts[i].indexOf(word) >= 0; });
      row.hidden = !fits;
      if (fits) n += 1;
    });
    var all = rows.length.toLocaleString("en") + (rows.length === 1 ? " item" : " items");
    shown.textContent = words.length ? n.toLocaleString("en") + " of " + all : all;
  }
  find.addEventListener("input", draw);
  controls.addEventListener("submit", function (e) { e.preventDefault(); });
  controls.hidden = false;
  draw();
})();
