/** The login page of the identity provider, as people use it on their way from our page and back. */
import type { Page } from 'playwright-core'
import type { Person } from './stage.ts'

/** It asks for a font from elsewhere. */
const FONTS = 'https://fonts.googleapis.com/**'

/** Lets a person visit the provider: what happens there is no fault of our page. */
export async function allowVisits ({ context, faults }: Person, issuer: string): Promise<void> {
  faults.allow(new RegExp(`${new URL(issuer).host}|fonts\\.googleapis`))
  await context.route(FONTS, async (route) => { await route.abort() })
}

export async function logIn (page: Page, login: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(login)
  await page.getByPlaceholder('and password').fill('x')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
}
