function select(el) {
  var r;
  if (native(el)) {
    call(el, 'select');
    return;
  }
  try {
    r = doc.createRange();
    r.selectNodeContents(el);
    window.getSelection().removeAllRanges();
    window.getSelection().addRange(r);
  } catch (e) {
    try {
      r = doc.body.createTextRange();
      r.moveToElementText(el);
      r.select();
    } catch (e2) { }
  }
}

function toEnd(el) {
  var r, n = held(el).length;
  if (native(el)) {
    try {
      if (typeof el.selectionStart == 'number') {
        el.selectionStart = el.selectionEnd = n;
        return;
      }
    } catch (e) { }
    try {
      r = el.createTextRange();
      r.collapse(false);
      r.select();
      return;
    } catch (e2) { }
  }
  select(el);
  try { window.getSelection().collapseToEnd(); } catch (e3) { }
}

function main() {
  var m, el, r = target(function (el) {
    if (!fieldKind(el)) { return 'notEditable'; }
    return native(el) && get(el, 'readOnly') === true && displayed(el) && !disabled(el) ? 'readOnly' : '';
  });
  if (r.status != 'ok') { return r; }
  el = found;
  m = memory();
  m.field = el;
  m.old = held(el);
  r.kind = fieldKind(el);
  r.oneLine = tag(el) == 'INPUT';
  r.empty = m.old === '';
  call(el, 'focus');
  if (r.kind == 'text') {
    if (input.clear) { select(el); } else { toEnd(el); }
  }
  return r;
}
