// A field that takes text, and what it holds.

var TYPED = set('text search tel url email password number');
var PICKED = set('date time month week datetime-local color range');

// "text" takes keys, "script" only a value, "" neither.
function fieldKind(el) {
  var name = tag(el), type;
  if (name == 'TEXTAREA') { return 'text'; }
  if (name == 'INPUT') {
    type = text(el, 'type').toLowerCase();
    return TYPED[type] === true ? 'text' : PICKED[type] === true ? 'script' : '';
  }
  return get(el, 'isContentEditable') === true ? 'text' : '';
}

function held(el) {
  return (isField(el) ? text(el, 'value') : text(el, 'innerText')).replace(/\r\n?/g, '\n');
}

// FNV-1a over code units.
function sum(s) {
  var h = 0x811c9dc5, i;
  for (i = 0; i < s.length; i++) {
    h ^= s.charCodeAt(i);
    h = h + (h << 1) + (h << 4) + (h << 7) + (h << 8) + (h << 24) >>> 0;
  }
  return h;
}
