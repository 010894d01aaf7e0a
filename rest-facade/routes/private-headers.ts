/** Headers of routes with a secret address: no cache keeps the answer, and no page that follows learns the address. */
export const PRIVATE_HEADERS = {
  'cache-control': 'private, no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
};
