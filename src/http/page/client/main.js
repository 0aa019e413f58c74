import { render } from 'preact';
import { App } from './app.js';
import { html } from './html.js';

const place = document.getElementById('page');
if (place) render(html`<${App} />`, place);
