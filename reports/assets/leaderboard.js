// Sorting, filtering and choice of columns. Without this script the table stands complete.
(function () {
  "use strict";
  var element = document.getElementById("leaderboard");
  var controls = document.getElementById("controls");
  if (!element || !window.DataTable) return;

  var table = new window.DataTable(element, {
    paging: false,
    info: false,
    autoWidth: false,
    order: [],
    orderMulti: true,
    columnDefs: [
      { targets: ".down", orderSequence: ["desc", "asc", ""] },
      { targets: ".model", type: "string-utf8" }
    ],
    layout: { topStart: null, topEnd: null, bottomStart: null, bottomEnd: null },
    language: { zeroRecords: "No model matches.", emptyTable: "No model is ranked." }
  });

  var selects = Array.from(controls.querySelectorAll("select[data-filter]"));
  window.DataTable.ext.search.push(function (settings, data, index) {
    var row = settings.aoData[index].nTr;
    return selects.every(function (s) { return !s.value || row.dataset[s.dataset.filter] === s.value; });
  });
  var shown = controls.querySelector(".shown");
  function say() {
    var n = table.rows({ search: "applied" }).count();
    var all = table.rows().count();
    shown.textContent = n === all ? all + (all === 1 ? " model" : " models") : n + " of " + all + " models";
  }
  table.on("draw", say);
  selects.forEach(function (s) { s.addEventListener("change", function () { table.draw(); }); });
  document.getElementById("find").addEventListener("input", function (e) { table.search(e.target.value).draw(); });
  controls.addEventListener("submit", function (e) { e.preventDefault(); });

  controls.querySelectorAll("input[data-group]").forEach(function (box) {
    function apply() { table.columns(".group-" + box.dataset.group).visible(box.checked); }
    box.addEventListener("change", apply);
    apply();
  });
  controls.hidden = false;
  say();
})();
