export { fixOrigin } from './fix-origin.js';
export { deploymentStore } from './model.js';
