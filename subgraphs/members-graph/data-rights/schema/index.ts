export * from './data-right.js';
export * from './input.js';
