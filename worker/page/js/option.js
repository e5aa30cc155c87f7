// Whether the input names the option. A sum keeps the text itself out of a page
// that turns out to be another one.
function named(o, i) {
  var t;
  if (input.by == 'index') { return i === input.index; }
  if (input.by == 'value') { return optionValue(o) === input.key; }
  t = optionText(o);
  return input.by == 'sum' ? t.length === input.optionLength && sum(t) === input.optionSum : t === tidy(input.key);
}

function option() {
  var options, i, o, r = target(function (el) { return tag(el) == 'SELECT' ? '' : 'notSelect'; });
  if (r.status != 'ok') { return r; }
  memory().select = found;
  options = found.options;
  r.multiple = found.multiple === true;
  found = null;
  for (i = 0; i < options.length; i++) {
    o = options[i];
    if (named(o, i)) {
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
