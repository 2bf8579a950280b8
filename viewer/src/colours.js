// Colours of runs and series, and shades of them.
export const runColours = {
  light: ['#2a66d9', '#d9622b', '#2a9d6f', '#a347ba', '#b08900'],
  dark: ['#6ea3ff', '#ff9a66', '#5fd0a0', '#d28ae6', '#e0bd4a'],
};

export const mix = (hex, factor) =>
  '#' + [1, 3, 5].map((k) => Math.round(Math.min(255, parseInt(hex.slice(k, k + 2), 16) * factor)).toString(16).padStart(2, '0')).join('');
