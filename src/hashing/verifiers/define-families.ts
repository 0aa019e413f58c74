import { defineAlgorithm, type HashAlgorithm } from '../algorithm.ts';
import { HashRefused } from '../verifier.ts';

interface Families<Members extends readonly HashAlgorithm[]> {
  name: string;
  aliases?: readonly string[];
  displayName: string;
  looksLike: string;
  /** The first family, to which most hashes belong, determines the strength. */
  families: Members;
}

type LimitOf<Member> = Member extends HashAlgorithm<infer Limit, infer _Own> ? Limit : never;

interface OfFamily {
  family: HashAlgorithm;
  parsed: unknown;
}

/** Defines one name for hashes of several families, such as those that one system wrote over the years. */
export function defineFamilies<
  const Members extends readonly [HashAlgorithm, HashAlgorithm, ...HashAlgorithm[]],
>({ families, ...names }: Families<Members>): HashAlgorithm<LimitOf<Members[number]>, never> {
  const references = families.map(({ reference }) => reference);
  const limits = Object.assign({}, ...families.map((family) => family.limits));
  return defineAlgorithm<OfFamily, LimitOf<Members[number]>>({
    ...names,
    strength: families[0].strength,
    reference: {
      formula: references.map(({ formula }) => formula).join('; or '),
      examples: references.map(({ examples }) => examples).join('; '),
      measured: references.map(({ measured }) => measured).join('; '),
    },
    shape: new RegExp(families.map(({ shape }) => `(?:${shape.source})`).join('|')),
    limits,
    parser(context) {
      const parsers = families.map((family) => ({ family, parse: family.parser(context) }));
      return (encoded) => {
        const found = parsers.find(({ family }) => family.shape.test(encoded));
        if (found === undefined)
          throw new HashRefused('format', `expected ${names.looksLike.replaceAll('`', '')}`);
        return { family: found.family, parsed: found.parse(encoded) };
      };
    },
    cost: ({ family, parsed }) => family.cost(parsed),
    strengthOf: ({ family, parsed }) => family.strengthOf(parsed),
    verify: ({ family, parsed }, password, secret) => family.verify(parsed, password, secret),
    password: ({ family, parsed }, secret) => ({
      of: (password) => password,
      isOnly: (password) => family.isOnlyPassword(parsed, password, secret),
    }),
    decoy: ({ family, parsed }, encoded) => family.decoy(parsed, encoded),
    portable: ({ family, parsed }, encoded) => family.portable?.(parsed, encoded),
    identity: ({ family, parsed }) => ({ hash: family.identity(parsed) }),
    describe: ({ family, parsed }) => family.describe(parsed),
    repairs: (encoded, context) =>
      families.find(({ shape }) => shape.test(encoded))?.repairs(encoded, context) ?? [],
  });
}
