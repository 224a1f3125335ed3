// What the page writes in words: why it shows nothing.

const MESSAGES = {
  token: 'This link is not complete. Copy the whole link into the browser source.',
  revoked: 'The link of this page was replaced or ended. Copy the new one into the browser source.',
  foreign: 'This link belongs to another page. Copy the link of this one into the browser source.',
  deleted: 'This overlay or widget was deleted.',
  disabled: 'Overlays or widgets are switched off for this account.',
  unreachable: 'The link is not valid or the server cannot be reached.',
};

/** Shows a message of the list; a small one sits in the corner. */
function showMessage(name, isSmall = false) {
  const message = document.getElementById('message');
  message.textContent = MESSAGES[name];
  message.className = isSmall ? 'small' : '';
  message.hidden = false;
}

function hideMessage() {
  const message = document.getElementById('message');
  message.hidden = true;
  message.textContent = '';
}
