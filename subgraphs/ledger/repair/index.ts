export { repairTenant } from './wiring.js';
