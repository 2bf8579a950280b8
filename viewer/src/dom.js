// Elements, made without HTML: texts stay texts, whatever is in them.
export function element(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (key === 'class') node.className = value;
    else if (key in node && key !== 'list' && !key.startsWith('aria')) node[key] = value;
    else node.setAttribute(key, value === true ? '' : value);
  }
  for (const child of children.flat()) if (child !== null && child !== undefined && child !== false) node.append(child);
  return node;
}

const paths = {
  play: 'M7 4.5v15l12.5-7.5z',
  pause: 'M6.5 5h4v14h-4zM13.5 5h4v14h-4z',
  back: 'M16 5.5v13L8 12zM6 5.5h2v13H6z',
  forward: 'M8 5.5v13l8-6.500zM16 5.500h2v13h-2z',
  fit: 'M4 9V4h5v2H6v3zM15 4h5v5h-2V6h-3zM4 15h2v3h3v2H4zM18 15h2v5h-5v-2h3z',
  close: 'M6.400 5 12 10.600 17.600 5 19 6.400 13.400 12 19 17.600 17.600 19 12 13.400 6.400 19 5 17.600 10.600 12 5 6.400z',
  plus: 'M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z',
  theme: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 2v14a7 7 0 0 1 0-14z',
  check: 'M9.500 17.500 4 12l1.500-1.500 4 4 9-9L20 7z',
  cross: 'M6.400 5 12 10.600 17.600 5 19 6.400 13.400 12 19 17.600 17.600 19 12 13.400 6.400 19 5 17.600 10.600 12 5 6.400z',
  dash: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm-5 8h10v2H7z',
  warn: 'M12 3 1.500 21h21zm-1 7h2v5h-2zm0 6.500h2v2h-2z',
};
export function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', paths[name]);
  svg.append(path);
  return svg;
}
export function button(name, label, onclick, more = {}) {
  return element('button', { type: 'button', 'aria-label': label, title: label, onclick, ...more }, icon(name));
}

// A button that opens a small panel; closed by Escape and by a click elsewhere.
export function menu(label, content, more = {}) {
  const details = element('details', { class: 'menu', ...more }, element('summary', {}, label), element('div', { class: 'menu-body' }, content));
  details.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    details.open = false;
    details.querySelector('summary').focus();
    event.stopPropagation();
  });
  document.addEventListener('pointerdown', (event) => {
    if (details.open && !details.contains(event.target)) details.open = false;
  });
  return details;
}

export function copyButton(text) {
  const node = element('button', { type: 'button', class: 'quiet', onclick: async () => {
    try {
      await navigator.clipboard.writeText(text);
      node.textContent = 'Copied';
    } catch {
      node.textContent = 'Select and copy it by hand';
    }
    setTimeout(() => (node.textContent = 'Copy'), 1600);
  } }, 'Copy');
  return node;
}
