function main() {
  var el = memory().select, i, o;
  if (!el || !within(el, doc)) { return { gone: true, index: -1 }; }
  i = number(el, 'selectedIndex');
  o = i >= 0 && el.options[i];
  if (!o) { return { gone: false, index: -1 }; }
  return { gone: false, text: cut(optionText(o), 1000), value: cut(optionValue(o), 1000), index: i };
}
