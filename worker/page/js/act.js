// Can the element be used, and if not, why.

function boxOf(el) {
  var list = call(el, 'getClientRects'), i, c, r;
  for (i = 0; list && i < list.length; i++) {
    if (list[i].right > list[i].left && list[i].bottom > list[i].top) { return list[i]; }
  }
  r = rect(el);
  for (c = link(el, 'firstChild'); c && !r; c = link(c, 'nextSibling')) {
    if (kindOf(c) == 1 && rendered(c)) { r = boxOf(c); }
  }
  return r;
}

function side(inner, client) {
  var root = bare(doc, 'documentElement') || doc.documentElement, body = bare(doc, 'body') || doc.body;
  return number(window, inner) || number(root, client) || body && number(body, client) || 0;
}

// What is at the centre of the part of el that is in view; null when no part is.
function atCentre(el) {
  var r = boxOf(el), left, right, top, bottom;
  if (!r) { return null; }
  left = Math.max(r.left, 0);
  top = Math.max(r.top, 0);
  right = Math.min(r.right, side('innerWidth', 'clientWidth'));
  bottom = Math.min(r.bottom, side('innerHeight', 'clientHeight'));
  if (left >= right || top >= bottom) { return null; }
  return call(doc, 'elementFromPoint', Math.floor((left + right) / 2), Math.floor((top + bottom) / 2)) || null;
}

function labels(label, el) {
  return !!label && (within(el, label) || text(label, 'htmlFor') !== '' && text(label, 'htmlFor') === text(el, 'id'));
}

// Brings el into view. Gives what lies on it; el itself when it cannot be
// brought into view; null when the way is free.
function obstacle(el) {
  var i, hit;
  if (FLAT[tag(el)] === true) { return null; }
  for (i = 0; i < 3; i++) {
    if (i == 1) { call(el, 'scrollIntoView', { block: 'center', inline: 'nearest', behavior: 'instant' }); }
    if (i == 2) { call(el, 'scrollIntoView', false); }
    hit = atCentre(el);
    // Before scrolling, an ancestor there can mean that el is scrolled away in it.
    if (hit && (within(hit, el) || labels(up(hit, 'LABEL'), el) || i && within(el, hit))) { return null; }
  }
  return hit || el;
}

function describe(el) {
  var s = tag(el).toLowerCase(), id = text(el, 'id'), cls = tidy(text(el, 'className')).replace(/ .*/, ''), t = words(el, 41);
  if (id) { s += '#' + cut(id, 40); } else if (cls) { s += '.' + cut(cls, 40); }
  return t ? s + ' "' + cut(t, 40) + '"' : s;
}

// Takes note when an action makes the document be left: between that and the
// new document, the old one still answers.
function watch() {
  var m = memory();
  function note(e) {
    e = e || window.event;
    if (!e || e.defaultPrevented !== true) { m.leaving = true; }
  }
  m.leaving = false;
  if (m.watched) { return; }
  m.watched = true;
  try {
    if (window.addEventListener) {
      window.addEventListener('submit', note, false);
      window.addEventListener('beforeunload', note, false);
    } else {
      window.attachEvent('onbeforeunload', note);
    }
  } catch (e) { }
}

// Finds the element and passes it on when it can be used. Wrong, if given,
// names what else is wrong with it.
function target(wrong) {
  var el = element || find(input.locator), status, hit;
  if (el === undefined) { return { status: 'find' }; }
  if (!el) { return { status: 'missing' }; }
  status = wrong && wrong(el) || !displayed(el) && 'hidden' || disabled(el) && 'disabled';
  if (status) { return { status: status }; }
  hit = obstacle(el);
  if (hit == el) { return { status: 'hidden' }; }
  if (hit) { return { status: 'covered', by: describe(hit) }; }
  found = el;
  watch();
  return { status: 'ok' };
}
