import { CliError } from '../cli-error.ts';

/** Explanations of error codes that PostgreSQL and MySQL share: network, TLS, and this tool's own codes. */
const EXPLANATIONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host cannot be looked up',
  ENOENT: 'there is no such socket',
  EACCES: 'this user may not open the socket',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  ETIMEDOUT: 'it does not answer',
  NO_ANSWER: 'it does not answer',
  PASSWORD_WANTED:
    'it asks for the unencrypted password, which is sent only to a verified server. Name its CA with sslrootcert=ca.pem (MySQL: ssl-ca=ca.pem), or use its socket',
  NO_CHANNEL_BINDING: 'it binds the password to no certificate, which channel_binding=require asks for',
  NO_TLS: 'it has no TLS, which the URI asks for',
  LOST: 'the connection was lost. Run it again: it reads from the start',
  ECONNRESET: 'the connection was lost. Run it again: it reads from the start',
  EPIPE: 'the connection was lost. Run it again: it reads from the start',
  SAME_NAME: 'two columns of the query have the same name. Give one another name: select a.id, b.id as b_id',
  NO_ROWS: 'the query gives no rows: expected one SELECT',
};

const UNTRUSTED =
  /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)|^ERR_TLS|^ERR_SSL|^HANDSHAKE_SSL_ERROR$|^ERR_OSSL/;

/** The message is made from the error code alone, because messages of databases may quote data. */
export function databaseProblem(
  name: string,
  code: string,
  why: Readonly<Record<string, string>> = {},
): CliError {
  const known = why[code] ?? EXPLANATIONS[code];
  if (known !== undefined) return new CliError(`${name}: ${known}.`);
  return UNTRUSTED.test(code)
    ? new CliError(
        `${name}: its TLS certificate is not trusted (${code}). Name the CA: ?sslmode=verify-full&sslrootcert=ca.pem`,
      )
    : new CliError(`${name}: cannot be read (${code}).`);
}
