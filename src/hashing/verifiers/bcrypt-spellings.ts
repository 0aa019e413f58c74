import { BARE_BASE64 } from '../formats/encodings.ts';
import { bytesOf, checkLength, encodedPart } from '../formats/hash-part.ts';
import { HashRefused } from '../verifier.ts';
import { ownBase64 } from './bcrypt.ts';

const costOf = (encoded: string) => Number(encoded.slice(4, 6));

const spelled = (variant: string, cost: string, rest: string) =>
  `$2${variant}$${cost.padStart(2, '0')}$${rest}`;

/** Matches versions 1 and 2 of passlib's bcrypt_sha256, which also differ in what bcrypt hashes. */
const PASSLIB =
  /^(?:2(?<old>[ab]),|v=2,t=2(?<variant>[ab]),r=)(?<cost>[1-9][0-9]?)\$(?<salt>[./A-Za-z0-9]{22})\$(?<digest>[./A-Za-z0-9]{31})$/;

/**
 * @param text behind `$bcrypt-sha256$` in a hash of passlib
 * @throws {HashRefused} `format`
 */
export function fromPasslib(text: string): string {
  const { old, variant = old, cost = '', salt = '', digest = '' } = PASSLIB.exec(text)?.groups ?? {};
  if (variant === undefined) {
    throw new HashRefused('format', 'expected v=2,t=2b,r=<cost> or 2b,<cost>, and $<salt: 22>$<digest: 31>');
  }
  return spelled(variant, cost, salt + digest);
}

export function inPasslib(encoded: string): string {
  return `v=2,t=2b,r=${costOf(encoded)}$${encoded.slice(7, 29)}$${encoded.slice(29)}`;
}

const ADONIS = /^(?:v=(?<version>97|98)\$)?r=(?<cost>[1-9][0-9]?)\$(?<salt>[^$]*)\$(?<digest>[^$]*)$/;

/**
 * Adonis writes the character code of bcrypt's variant as the version. Older hashes have no version; their
 * variant is `a`.
 * @throws {HashRefused} `format`
 */
export function fromAdonis(text: string): string {
  const { version = '97', cost, salt = '', digest = '' } = ADONIS.exec(text)?.groups ?? {};
  if (cost === undefined) {
    throw new HashRefused('format', 'expected $bcrypt$v=98$r=<cost>$<salt>$<digest>');
  }
  const parts = [sized('salt', salt, 16), sized('digest', digest, 23)];
  return spelled(String.fromCharCode(Number(version)), cost, parts.map(ownBase64).join(''));
}

function sized(name: string, text: string, length: number): Buffer {
  const part = encodedPart(name, text, BARE_BASE64);
  checkLength(name, part, { min: length, max: length });
  return bytesOf(part);
}

export function inAdonis(encoded: string): string {
  return `v=98$r=${costOf(encoded)}$${'A'.repeat(22)}$${'A'.repeat(31)}`;
}
