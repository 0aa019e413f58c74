import type { Advice } from '../source.ts';
import type { Tally } from './judge.ts';

const PER_APP = ['facebook', 'apple', 'active-directory'];

/** Advice about providers, such as Apple, whose ids for a person differ between apps, teams or tenants. */
export const idsPerApp = ({ providers }: Pick<Tally, 'providers'>): readonly Advice[] =>
  PER_APP.some((provider) => providers.has(provider)) ? [IDS_PER_APP] : [];

const IDS_PER_APP: Advice = {
  level: 'note',
  text: 'Ids at Facebook are per app, at Apple per team, and Microsoft has several kinds. They stay right only if you keep the same app registered at the provider.',
};
