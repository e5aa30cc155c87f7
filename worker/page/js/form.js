// One step through a form: what became of the field before, then the next one
// made ready, or at the end a look at all of them.

var BOXES = set('checkbox radio');

function records() {
  var m = memory();
  if (m.form !== input.form) {
    m.form = input.form;
    m.fields = [];
  }
  return m.fields;
}

function record(el, on) {
  records()[input.at] = { el: el, on: on };
}

// Whether the field differs from what went into it; null when it is not there.
function differs(want, i) {
  var f = records()[i], v;
  if (!f || !within(f.el, doc)) { return null; }
  if (want.kind == 'select') { return get(f.el, 'selected') !== true; }
  if (want.kind == 'box') { return get(f.el, 'checked') !== f.on; }
  v = held(f.el);
  return v.length !== want.length || sum(v) !== want.sum;
}

function box() {
  var r = target(function (el) {
    var type = tag(el) == 'INPUT' ? text(el, 'type').toLowerCase() : '';
    if (BOXES[type] !== true) { return 'notBox'; }
    return type == 'radio' && !input.on && get(el, 'checked') === true ? 'staysOn' : '';
  });
  if (r.status != 'ok') { return r; }
  r.kind = 'box';
  r.set = get(found, 'checked') === input.on;
  return r;
}

// Whether the field before led away from this document, which still answers. One
// that only seemed to is believed again after half a second.
function going() {
  var m = memory(), time = new Date().getTime();
  if (m.leaving !== true) { m.left = 0; }
  else if (!m.left) { m.left = time; }
  return !!m.left && time - m.left < 500;
}

function ready() {
  var r;
  if (going()) { return { status: 'missing' }; }
  if (input.box) { return box(); }
  element = element || find(input.locator);
  if (!element || tag(element) != 'SELECT') { return editable(); }
  r = option();
  return r.status == 'ok' ? { status: 'ok', kind: 'select', set: r.selected } : r;
}

function main() {
  var r = {}, i;
  if (input.typed) {
    r.before = filled();
    if (r.before.arrived === false) { return r; }
  }
  if (input.locator) {
    r.next = ready();
    if (r.next.status == 'ok') { record(found, input.on); }
  }
  r.differs = [];
  for (i = 0; i < input.all.length; i++) { r.differs[i] = differs(input.all[i], i); }
  return r;
}
