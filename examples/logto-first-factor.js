/*
 * Script of Logto's action "Post first-factor verification". Logto runs it when its own check of a password has failed, and
 * creates the user with the password from the answer. Environment variables of the action: HOOKS_URL, and HOOKS_KEY with the
 * right `verify`. At 5 s Logto ends the script, and with it all others that run.
 */
// biome-ignore lint/correctness/noUnusedVariables: Logto calls it
const runAction = async ({ event, environmentVariables = {} }) => {
  // Logto asks after every wrong password. Somebody whom it has may have a newer one than the old system.
  if (event.user !== null) return undefined;
  const response = await fetch(`${environmentVariables.HOOKS_URL}/hooks/verify`, {
    method: 'POST',
    headers: { 'api-key': environmentVariables.HOOKS_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ identifier: event.identifier.value, password: event.password }),
    redirect: 'error',
    signal: AbortSignal.timeout(4000),
  });
  if (response.status !== 200) throw new Error(`user-import-core answered ${response.status}`);
  const { status, user } = await response.json();
  if (status === 'NO_MATCH') return undefined;
  if (status !== 'MATCH') throw new Error('not an answer of user-import-core');
  // Logto takes every address for proven.
  if (!user.isVerified) return undefined;
  const { id, externalUserId, email, userMetadata, roles } = user;
  return {
    action: 'createUser',
    passwordVerified: true,
    user: { primaryEmail: email, customData: { ...userMetadata, roles, oldId: externalUserId ?? id } },
  };
};
