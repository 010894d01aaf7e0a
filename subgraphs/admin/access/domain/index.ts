export { API_KEY_MACHINE, apiKeyStatusAt, type KeyLifetime } from './api-key-status.js';
export { ACTOR_MACHINE, ROLE_MACHINE } from './states.js';
