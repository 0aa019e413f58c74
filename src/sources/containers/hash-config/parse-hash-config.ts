import { isJsonObject, type JsonObject } from '../../../lib/json/json-object.ts';
import type { SourceRecord } from '../table.ts';

/** Keys: names in Firebase's console and REST interface, in lower case and without underscores. */
const NAMES: Readonly<Record<string, string>> = {
  algorithm: 'algorithm',
  base64signerkey: 'signerKey',
  signerkey: 'signerKey',
  base64saltseparator: 'saltSeparator',
  saltseparator: 'saltSeparator',
  rounds: 'rounds',
  memcost: 'memCost',
  memorycost: 'memCost',
};
const ourName = (name: string) => NAMES[name.replaceAll('_', '').toLowerCase()];

const HEAD = /^["'\s]*(?:hash_?config\b["'\s]*[:=]?\s*)?(?:\{\s*)?/i;
/** A hash parameter: name, colon or equals sign, value with or without quotes, and optional comma. */
const MEMBER = /["']?([A-Za-z0-9_]{1,64})["']?\s*[:=]\s*["']?([A-Za-z0-9+/_=-]+)["']?\s*[,;]?\s*/y;
const TAIL = /^\}?["'\s,;]*$/;

/** Rest of a base64 value of Firebase's console that was broken into several lines when it was copied. */
const CONTINUATION = /^[A-Za-z0-9+/]+={0,2},?$/;

/** True even if the block of hash parameters of Firebase's console is incomplete. */
export const beginsHashConfig = (text: string): boolean =>
  /^["'\s]*hash_?config\b["'\s]*[:=]?\s*\{/i.test(text.slice(0, 256));

/** Returns undefined if the text has anything else, two values of a hash parameter, or no signer key. */
export function parseHashConfig(text: string): SourceRecord | undefined {
  const members = /^\s*\{\s*["}]/.test(text) ? (jsonMembers(text) ?? blockMembers(text)) : blockMembers(text);
  if (members === undefined) return undefined;
  const record: Record<string, string> = {};
  for (const [name, value] of members) {
    const ours = ourName(name);
    if (ours === undefined || (record[ours] ?? value) !== value) return undefined;
    record[ours] = value;
  }
  return record.signerKey === undefined ? undefined : record;
}

function blockMembers(text: string): (readonly [string, string])[] | undefined {
  const block = joinBroken(text);
  const members: (readonly [string, string])[] = [];
  let at = HEAD.exec(block)?.[0].length ?? 0;
  for (;;) {
    MEMBER.lastIndex = at;
    const [all, name = '', value = ''] = MEMBER.exec(block) ?? [];
    if (all === undefined) return TAIL.test(block.slice(at)) ? members : undefined;
    members.push([name, value]);
    at += all.length;
  }
}

/** Hash parameters of Firebase in JSON, or an answer of its REST interface that contains them. */
function jsonMembers(text: string): (readonly [string, string])[] | undefined {
  const root = parseObject(text);
  if (root === undefined) return undefined;
  const signIn = isJsonObject(root.signIn) ? root.signIn : undefined;
  const config = [root.hash_config, root.hashConfig, signIn?.hashConfig].find(isJsonObject) ?? root;
  const members = Object.entries(config);
  if (!members.every(([, value]) => typeof value === 'string' || typeof value === 'number')) return undefined;
  return members.map(([name, value]) => [name, String(value)]);
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function joinBroken(text: string): string {
  const lines: string[] = [];
  for (const line of text.split(/\r?\n|\r/).map((one) => one.trim())) {
    if (lines.length > 0 && CONTINUATION.test(line)) lines.push(`${lines.pop()}${line}`);
    else lines.push(line);
  }
  return lines.join('\n');
}
