// Start of the page: the token, the password where it is needed, and the report.

const link = { token: takeToken(), password: null };

/** Shows one part of the page: `message`, `password-form` or `report`. */
function show(part) {
  for (const id of ['message', 'password-form', 'report']) find(id).hidden = id !== part;
  find('retry').hidden = true;
}

function showMessage(text, canRetry = false) {
  show('message');
  find('message').textContent = text;
  find('retry').hidden = !canRetry;
}

const retryText = ({ retrySeconds }) =>
  retrySeconds === null ? 'Try again later.' : `Try again in ${retrySeconds} seconds.`;

/** Shows the form. The error is the same for every reason, because the server names none. */
function askPassword(wasTried) {
  show('password-form');
  const error = find('password-error');
  error.textContent = wasTried ? 'The password is wrong, or the link has ended.' : '';
  error.hidden = !wasTried;
  find('password').value = '';
  find('password').focus();
}

async function load() {
  const wasTried = link.password !== null;
  try {
    const shared = await loadReport(link);
    const draw = () => showReport(find('report'), shared, link);
    draw();
    NARROW.onchange = draw;
    show('report');
  } catch (error) {
    if (error instanceof Refused && error.status === 401) askPassword(wasTried);
    else if (error instanceof Refused && error.status === 429) showMessage(`Too many requests. ${retryText(error)}`, true);
    else showMessage('The report cannot be loaded.', true);
  }
}

find('password-form').addEventListener('submit', (event) => {
  event.preventDefault();
  link.password = find('password').value;
  showMessage('The report is loading.');
  load();
});
find('retry').addEventListener('click', () => {
  showMessage('The report is loading.');
  load();
});

if (link.token === null) {
  showMessage('This link is not complete. Open the whole link as you got it.');
} else {
  showMessage('The report is loading.');
  load();
}
