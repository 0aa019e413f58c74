import htm from 'htm';
import { h } from 'preact';

/** Renders markup from a template. Inserted values are text or elements, never markup. */
export const html = htm.bind(h);
