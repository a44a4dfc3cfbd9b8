/** What is written in the page and in the appliance; test/dashboard/agreed.test.ts compares both. */

/** How many characters a password has. */
export const PASSWORD_LENGTH = { min: 12, max: 256 } as const

/** The address of the page, below that of the appliance, to which the identity provider sends browsers back. */
export const RETURN_PATH = '/sign-in/return'
