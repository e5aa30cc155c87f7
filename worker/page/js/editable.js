// Selects what el holds, or puts the caret at its end.
function choose(el, atEnd) {
  var r, n;
  if (isField(el)) {
    if (!atEnd) {
      call(el, 'select');
      return;
    }
    n = text(el, 'value').length;
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
    } catch (e2) {
      // Number and email fields tell no positions.
      call(el, 'select');
      try { window.getSelection().collapseToEnd(); } catch (e3) { }
    }
    return;
  }
  try {
    r = doc.createRange();
    r.selectNodeContents(el);
    if (atEnd) { r.collapse(false); }
    window.getSelection().removeAllRanges();
    window.getSelection().addRange(r);
  } catch (e4) {
    try {
      r = doc.body.createTextRange();
      r.moveToElementText(el);
      if (atEnd) { r.collapse(false); }
      r.select();
    } catch (e5) { }
  }
}

function editable() {
  var m, el, r = target(function (el) {
    if (!fieldKind(el)) { return 'notEditable'; }
    return isField(el) && get(el, 'readOnly') === true && displayed(el) && !disabled(el) ? 'readOnly' : '';
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
  if (r.kind == 'text') { choose(el, !input.clear); }
  return r;
}
