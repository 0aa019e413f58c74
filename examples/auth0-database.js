/*
 * Scripts of a custom database connection of Auth0, with "Import users to Auth0" switched on: Auth0 calls `login` at the first
 * sign-in of a person, and keeps the password. `getUser` is called before sign-ups and password resets.
 * Settings of the connection: HOOKS_URL, and HOOKS_KEY with the right `verify`.
 */
async function ask(path, question) {
  const response = await fetch(configuration.HOOKS_URL + path, {
    method: 'POST',
    headers: { 'api-key': configuration.HOOKS_KEY, 'content-type': 'application/json' },
    body: JSON.stringify(question),
    redirect: 'error',
    signal: AbortSignal.timeout(5000),
  });
  if (response.status !== 200) throw new Error(`user-import-core answered ${response.status}`);
  return response.json();
}

const profileOf = ({ id, externalUserId, email, isVerified, userMetadata, roles }) => ({
  ...{ user_id: externalUserId || id, email, email_verified: isVerified },
  ...{ user_metadata: userMetadata || {}, app_metadata: { roles } },
});

// biome-ignore lint/correctness/noUnusedVariables: Auth0 calls it
async function login(email, password, callback) {
  try {
    const { status, user } = await ask('/hooks/verify', { identifier: email, password });
    if (status === 'MATCH') return callback(null, profileOf(user));
    if (status === 'NO_MATCH') return callback(new WrongUsernameOrPasswordError(email));
    throw new Error('not an answer of user-import-core');
  } catch (error) {
    // Auth0 shows an error then, and does not say that the password is wrong.
    return callback(error);
  }
}

// biome-ignore lint/correctness/noUnusedVariables: Auth0 calls it
async function getUser(email, callback) {
  try {
    const { status, user } = await ask('/hooks/lookup', { identifier: email });
    if (status !== 'OK' && status !== 'UNKNOWN') throw new Error('not an answer of user-import-core');
    return callback(null, status === 'OK' ? profileOf(user) : null);
  } catch (error) {
    return callback(error);
  }
}
