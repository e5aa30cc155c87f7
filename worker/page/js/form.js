// One step through a form: what became of the field before, and the next one
// made ready.

var BOXES = set('checkbox radio');

function became() {
  var m = memory(), el = m.chosen, on;
  if (input.before == 'text' || input.before == 'script') { return filled(); }
  if (!el || !within(el, doc)) { return { gone: true }; }
  on = tag(el) == 'OPTION' ? get(el, 'selected') : get(el, 'checked');
  return { gone: false, differs: on !== m.on };
}

function box() {
  var m, r = target(function (el) {
    var type = tag(el) == 'INPUT' ? text(el, 'type').toLowerCase() : '';
    if (BOXES[type] !== true) { return 'notBox'; }
    return type == 'radio' && !input.on && get(el, 'checked') === true ? 'staysOn' : '';
  });
  if (r.status != 'ok') { return r; }
  m = memory();
  m.chosen = found;
  m.on = input.on;
  r.kind = 'box';
  r.set = get(found, 'checked') === input.on;
  return r;
}

function next() {
  var r, m;
  if (input.box) { return box(); }
  element = element || find(input.locator);
  if (!element || tag(element) != 'SELECT') { return editable(); }
  r = option();
  if (r.status != 'ok') { return r; }
  m = memory();
  m.chosen = found;
  m.on = true;
  return { status: 'ok', kind: 'select', set: r.selected };
}

function main() {
  var r = {};
  if (input.before) {
    r.before = became();
    if (r.before.arrived === false) { return r; }
  }
  if (input.locator) { r.next = next(); }
  return r;
}
