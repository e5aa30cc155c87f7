var LISTED = set('A BUTTON INPUT TEXTAREA SELECT IFRAME FRAME AREA');
var PUSHED = set('submit button reset image');
var PLAIN = set('TABLE CAPTION COLGROUP COL THEAD TBODY TFOOT TR TH TD DIV P BR HR PRE BLOCKQUOTE ADDRESS CENTER H1 H2 H3 H4 H5 H6 UL OL LI DL DT DD FORM SCRIPT STYLE');
var LONG = 200;
var labelled = null;

function brief(s) {
  return s ? cut(s, LONG) : undefined;
}

function labelFor(id) {
  var list, i, k;
  if (!labelled) {
    labelled = {};
    list = call(doc, 'getElementsByTagName', 'label') || [];
    for (i = 0; i < list.length; i++) {
      k = '$' + (text(list[i], 'htmlFor') || attr(list[i], 'for'));
      if (!labelled[k]) { labelled[k] = list[i]; }
    }
  }
  return id ? labelled['$' + id] : undefined;
}

function cellBefore(el) {
  var td = up(el, 'TD'), s = '';
  while (td && !s) {
    td = link(td, 'previousSibling');
    if (td && kindOf(td) == 1) { s = words(td, LONG + 1); }
  }
  return s;
}

function picture(el) {
  var list = call(el, 'getElementsByTagName', 'img');
  return list && list[0] ? text(list[0], 'alt') : '';
}

function labelOf(el, name, type) {
  var field = (name == 'INPUT' || name == 'SELECT' || name == 'TEXTAREA') && PUSHED[type] !== true, label, s = '';
  if (field) {
    label = labelFor(text(el, 'id')) || up(el, 'LABEL');
    s = label ? words(label, LONG + 1) : '';
  }
  return tidy(s || attr(el, 'aria-label') || text(el, 'title') || text(el, 'alt') ||
    (name == 'A' || name == 'BUTTON') && picture(el) || field && cellBefore(el) || '');
}

function about(el, name) {
  var type = name == 'INPUT' || name == 'BUTTON' ? text(el, 'type').toLowerCase() : '', list, i, e = {
    tag: name.toLowerCase(),
    id: brief(text(el, 'id') || attr(el, 'id')),
    name: brief(text(el, 'name') || attr(el, 'name')),
    type: brief(type),
    label: brief(labelOf(el, name, type)),
    placeholder: brief(attr(el, 'placeholder'))
  };
  if (name == 'SELECT') {
    list = get(el, 'options');
    i = number(el, 'selectedIndex');
    e.optionCount = list ? list.length : 0;
    if (i >= 0 && list && list[i]) {
      e.text = brief(optionText(list[i]));
      e.value = brief(optionValue(list[i]));
    }
  } else if (name == 'INPUT' || name == 'TEXTAREA') {
    if (type != 'password') { e.value = brief(text(el, 'value')); }
    if (type == 'checkbox' || type == 'radio') { e.checked = get(el, 'checked') === true; }
  } else if (name != 'IFRAME' && name != 'FRAME') {
    e.text = brief(words(el, LONG + 1));
  }
  if (name == 'A' || name == 'AREA') { e.href = brief(text(el, 'href')); }
  if (disabled(el)) { e.disabled = true; }
  if (isField(el) && get(el, 'readOnly') === true) { e.readonly = true; }
  return e;
}

// The same as read, from the browser's own innerText: many times as fast, but
// old modes have another one, and it sets nothing apart from a button or a
// picture, and tells the options of selects. So it is for plain pages only.
function quick(root, names) {
  var s, i, from = input.textOffset, to = from + input.maxText;
  if (tag(root) != 'BODY' || !root.checkVisibility) { return null; }
  for (i = 0; i < names.length; i++) {
    if (PLAIN[names[i]] !== true && INLINE[names[i]] !== true) { return null; }
  }
  s = get(root, 'innerText');
  if (typeof s != 'string') { return null; }
  s = tidy(s);
  if (from > 0 && from < s.length && paired(s, from)) { from++; }
  if (to < s.length && paired(s, to)) { to--; }
  return { text: s.substring(from, to), total: s.length };
}

function main() {
  var root = bare(doc, 'body') || get(doc, 'body') || doc.documentElement, list = [], names = [], count = 0, r, all, i;
  function visit(el, name) {
    var f;
    if (LISTED[name] !== true) {
      try { f = el.onclick; } catch (e) { return; }
      if (!f || f.nodeType) { return; }
    }
    if (!displayed(el)) { return; }
    if (count >= input.offset && list.length < input.limit) { list[list.length] = about(el, name); }
    count++;
  }
  all = call(root, 'getElementsByTagName', '*') || [];
  for (i = 0; i < all.length; i++) { names[i] = tag(all[i]); }
  r = quick(root, names);
  if (r) {
    for (i = 0; i < names.length; i++) { visit(all[i], names[i]); }
  } else {
    r = read(root, input.textOffset, input.maxText, true, visit);
  }
  return { text: r.text, totalTextChars: r.total, elements: list, totalElements: count };
}
