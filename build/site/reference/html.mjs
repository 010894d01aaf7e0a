const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export const escaped = (text) => String(text).replace(/[&<>"]/g, (sign) => ENTITIES[sign]);
export const code = (text) => `<code>${escaped(text)}</code>`;

/** Descriptions mark code by backticks and use no other mark. */
export const prose = (text = '') => escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');

/** Keyboards can scroll only what takes the focus. */
export const table = (head, rows) =>
  `<div class="scroll" role="group" tabindex="0" aria-label="Table"><table>
<thead><tr>${head.map((cell) => `<th>${cell}</th>`).join('')}</tr></thead>
<tbody>${rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n')}</tbody>
</table></div>`;

export const block = (text) => `<pre tabindex="0"><code>${escaped(text)}</code></pre>`;
