function main() {
  var options, i, o, r = target(function (el) { return tag(el) == 'SELECT' ? '' : 'notSelect'; });
  if (r.status != 'ok') { return r; }
  memory().select = found;
  options = found.options;
  r.multiple = found.multiple === true;
  found = null;
  for (i = 0; i < options.length; i++) {
    o = options[i];
    if (input.by == 'index' ? i === input.index : input.by == 'value' ? optionValue(o) === input.key : optionText(o) === tidy(input.key)) {
      if (disabled(o)) { return { status: 'optionDisabled' }; }
      r.text = cut(optionText(o), 1000);
      r.value = cut(optionValue(o), 1000);
      r.index = i;
      r.selected = o.selected === true;
      found = o;
      return r;
    }
  }
  return { status: 'noOption' };
}
