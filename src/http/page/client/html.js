import htm from 'htm';
import { h } from 'preact';

/** Renders HTML from a template string. Inserted values are text or elements, never markup. */
export const html = htm.bind(h);
