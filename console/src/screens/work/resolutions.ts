/** Usual resolutions of an exception; the service takes any text. */
export const RESOLUTIONS: readonly string[] = ['CORRECTED_AT_SOURCE', 'ACCEPTED', 'DUPLICATE', 'OTHER'];
