/** The user made when a data directory is first served over TCP. */
export const firstUser = 'admin';
/** His password, in the data directory, for its owner alone; true as long as nobody changes it. */
export const passwordFileName = 'password';
