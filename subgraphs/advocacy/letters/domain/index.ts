export { appealLetter } from './appeal-letter.js';
