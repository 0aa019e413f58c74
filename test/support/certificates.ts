import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Certificate {
  cert: string;
  key: string;
}

/** Certificates of servers, and paths of the CAs that signed them. */
export interface Certificates {
  /** CA of all certificates except `ofAnotherCa` and `selfSigned`. */
  ca: string;
  anotherCa: string;
  /** Certificate for `localhost` and 127.0.0.1. */
  good: Certificate;
  /** Certificate for `db.example.com`. */
  ofAnotherHost: Certificate;
  expired: Certificate;
  ofAnotherCa: Certificate;
  selfSigned: Certificate;
}

/** Creates the certificates with openssl. */
export function makeCertificates(directory: string): Certificates {
  mkdirSync(directory, { recursive: true });
  const at = (name: string) => join(directory, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: directory, stdio: 'ignore' });
  const makeKey = (name: string) => {
    openssl('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', `${name}.key`);
  };
  const makeCa = (name: string) => {
    makeKey(name);
    openssl(
      'req',
      '-x509',
      '-key',
      `${name}.key`,
      '-out',
      `${name}.pem`,
      '-days',
      '2',
      '-subj',
      `/CN=${name}`,
    );
    return at(`${name}.pem`);
  };
  const sign = (name: string, ca: string, names: string, times = ['-days', '2']): Certificate => {
    makeKey(name);
    openssl('req', '-new', '-key', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    writeFileSync(at(`${name}.ext`), `subjectAltName=${names}\n`);
    const by = ['-CA', `${ca}.pem`, '-CAkey', `${ca}.key`, '-CAcreateserial', '-extfile', `${name}.ext`];
    openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.pem`, ...by, ...times);
    return { cert: at(`${name}.pem`), key: at(`${name}.key`) };
  };
  const local = 'DNS:localhost,IP:127.0.0.1';
  const [ca, anotherCa] = [makeCa('ca'), makeCa('another-ca')];
  makeKey('self');
  openssl(
    ...['req', '-x509', '-key', 'self.key', '-out', 'self.pem', '-days', '2', '-subj', '/CN=localhost'],
    ...['-addext', `subjectAltName=${local}`],
  );
  return {
    ca,
    anotherCa,
    good: sign('good', 'ca', local),
    ofAnotherHost: sign('other-host', 'ca', 'DNS:db.example.com'),
    // openssl 3.0 has no option for dates. A negative number of days makes a certificate that has expired.
    expired: sign('expired', 'ca', local, ['-days', '-1']),
    ofAnotherCa: sign('of-another-ca', 'another-ca', local),
    selfSigned: { cert: at('self.pem'), key: at('self.key') },
  };
}
