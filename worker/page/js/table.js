// The cells of a table as they are shown, each in every place that it covers.

var COLUMNS = 300;

// A table inside a cell has rows of its own: who wants them names it.
SKIPPED.TABLE = true;

// A cell with the rows that it covers: up to, not including, the row until.
function textOf(cell) {
  if (cell.text === undefined) { cell.text = cut(words(cell.el, input.maxCell + 1), input.maxCell); }
  return cell.text;
}

function span(el, k) {
  var n = number(el, k);
  return n >= 0 ? n : 1;
}

// The row no. of the layout: the cells in its places. Above are the cells that
// began in rows above, and get those that begin here.
function place(row, no, above) {
  var cells = row.cells, n = cells.length, here = [], at = 0, first = 0, i, el, cell, wide, c;
  for (c = 0; c < above.length; c++) {
    if (above[c] && above[c].until > no) { here[c] = above[c]; }
  }
  here.titles = n > 0;
  for (i = 0; i < n; i++) {
    el = cells[i];
    if (!number(el, 'offsetWidth') && !number(el, 'offsetHeight') && !rendered(el)) { continue; }
    if (tag(el) != 'TH') { here.titles = false; }
    while (here[at]) { at++; }
    if (at >= COLUMNS) { break; }
    cell = { el: el, until: no + (span(el, 'rowSpan') || Infinity) };
    for (wide = span(el, 'colSpan') || 1, first = at; wide > 0 && at < COLUMNS && !here[at]; wide--, at++) {
      here[at] = above[at] = cell;
    }
    here.width = first + 1;
  }
  return here;
}

function line(here) {
  var out = [], c;
  for (c = 0; c < here.length; c++) { out[c] = here[c] ? textOf(here[c]) : ''; }
  return out;
}

function size(list) {
  var n = 0, i;
  for (i = 0; i < list.length; i++) { n += list[i].length + 3; }
  return n;
}

function main() {
  var table = element || find(input.locator), r = { status: 'ok', titles: [], rows: [], rowCount: 0, columnCount: 0 },
    rows, n, i, no = 0, row, hidden, section = null, title, titled = false, above = [], here, chars = 0, full = false, cells;
  if (table === undefined) { return { status: 'find' }; }
  if (!table) { return { status: 'missing' }; }
  if (tag(table) != 'TABLE') { return { status: 'notTable' }; }
  if (!rendered(table)) { return { status: 'hidden' }; }
  found = table;
  rows = table.rows;
  n = rows.length;
  for (i = 0; i < n; i++) {
    row = rows[i];
    hidden = !rendered(row);
    if (hidden && !number(row, 'offsetHeight')) { continue; }
    if (link(row, 'parentNode') != section) {
      section = link(row, 'parentNode');
      above = [];
    }
    here = place(row, no++, above);
    if (hidden) { continue; }
    if (here.width > r.columnCount) { r.columnCount = here.width; }
    title = tag(section) == 'THEAD';
    titled = titled || title;
    if (title || !titled && !r.rowCount && here.titles) {
      r.titles[r.titles.length] = line(here);
      continue;
    }
    if (!full && r.rowCount >= input.offset) {
      cells = line(here);
      chars += size(cells);
      full = chars > input.maxChars && r.rows.length > 0 || r.rows.length >= input.limit;
      if (!full) { r.rows[r.rows.length] = cells; }
    }
    r.rowCount++;
  }
  return r;
}
