/** What is written in the page and in the appliance; test/dashboard/agreed.test.ts compares both. */

/** How many characters a password has. */
export const PASSWORD_LENGTH = { min: 12, max: 256 } as const

/** The most speakers that are told apart in one recording. */
export const MOST_SPEAKERS = 40

/** The most special words of a recording, and the most characters of one. */
export const MOST_TERMS = 200
export const LONGEST_TERM = 64

/** Query parameters that hold secrets: patterns of their whole names, in upper or lower case. */
export const SECRET_PARAMETERS = [
  'x-amz-.*', 'x-goog-.*', 'awsaccesskeyid', 'googleaccessid', 'key-pair-id', 'policy', 'signature', 'sig', 'se', 'sp', 'sv', 'sr',
  'hdnts', 'hdnea', 'auth.*', '.*token.*', '.*secret.*', '.*password.*', 'pass', 'pwd', '.*api_?key', 'key', 'code', 'jwt', 'session.*',
  'sid'
] as const

/** The address of the page, below that of the appliance, to which the identity provider sends browsers back. */
export const RETURN_PATH = '/sign-in/return'
