(function () {
  if (window.showModalDialog) return;
  var parse = JSON.parse, write = JSON.stringify, Request = XMLHttpRequest, ask = window.prompt, Address = URL, close = window.close;
  function tell(path, body) {
    var request = new Request();
    request.open('POST', $URL + path, false);
    request.send(body);
    return request.responseText;
  }
  window.showModalDialog = function showModalDialog(url, args, features) {
    var id = tell('/open', write({target: $TARGET, url: new Address(String(url), document.baseURI).href, args: {v: args}}));
    var answer = ask.call(window, $MARK + id);
    return answer ? parse(answer).v : undefined;
  };
  // Chromium lets a page close only what a page has opened.
  if (window === window.top) window.close = function () {
    close.call(window);
    if (!window.closed) tell('/end/' + $TARGET, '');
  };
})();
