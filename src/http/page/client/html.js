import htm from 'htm';
import { h } from 'preact';

/** Inserted values are text or elements, never markup. */
export const html = htm.bind(h);
