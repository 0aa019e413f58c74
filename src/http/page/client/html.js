import htm from 'htm';
import { h } from 'preact';

/** Markup as a template. What is put into it is text or an element, never markup. */
export const html = htm.bind(h);
