export { doneBy, platformAct } from './platform-act.js';
