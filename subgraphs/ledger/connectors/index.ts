export { CONNECTORS } from './model.js';
export { connectorsArea } from './wiring.js';
