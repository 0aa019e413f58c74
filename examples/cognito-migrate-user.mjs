/*
 * Lambda for the trigger "migrate user" of a Cognito user pool. Cognito calls it for an unknown name at a sign-in and at
 * "forgot password", and creates the user from the answer. Environment: HOOKS_URL, and HOOKS_KEY with the right `verify`.
 * Cognito waits for 5 s.
 */
async function ask(path, question, [yes, no]) {
  const { HOOKS_URL, HOOKS_KEY } = process.env;
  const response = await fetch(HOOKS_URL + path, {
    method: 'POST',
    headers: { 'api-key': HOOKS_KEY, 'content-type': 'application/json' },
    body: JSON.stringify(question),
    redirect: 'error',
    signal: AbortSignal.timeout(4500),
  });
  const answer = response.status === 200 && (await response.json());
  if (answer?.status === yes) return answer.user;
  if (answer?.status === no) throw new Error('Incorrect username or password.');
  throw new Error('Sign-in is not possible at the moment. Try again later.');
}

export async function handler(event) {
  const { triggerSource, userName: identifier, request } = event;
  const isReset = triggerSource === 'UserMigration_ForgotPassword';
  const user = isReset
    ? await ask('/hooks/lookup', { identifier }, ['OK', 'UNKNOWN'])
    : await ask('/hooks/verify', { identifier, password: request.password }, ['MATCH', 'NO_MATCH']);
  event.response = {
    userAttributes: {
      ...{ username: user.email, email: user.email, email_verified: String(isReset || user.isVerified) },
      ...(user.externalUserId && { 'custom:old_id': user.externalUserId }),
    },
    ...{ messageAction: 'SUPPRESS', ...(!isReset && { finalUserStatus: 'CONFIRMED' }) },
  };
  return event;
}
