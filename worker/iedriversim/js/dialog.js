(function () {
  if (window !== window.top || location.href === 'about:blank') return;
  var write = JSON.stringify, Request = XMLHttpRequest, navigator = window.navigator;
  function value() { return write({v: window.returnValue}); }
  window.dialogArguments = ($ARGS).v;
  window.close = function close() {
    var request = new Request();
    request.open('POST', $URL + '/close/' + $ID, false);
    request.send(value());
  };
  window.addEventListener('pagehide', function () { navigator.sendBeacon($URL + '/value/' + $ID, value()); });
})();
