/**
 * The texts of every page, of the sign-in and of the library, in English; other pages bring their own. The other languages have the same
 * keys; the compiler checks that. `{name}` is filled in.
 * A text that depends on a number is an object with the plural forms of its language (Intl.PluralRules); `{count}` is the number.
 */
import { library } from './library/en.ts'

export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>
type Texts = Readonly<Record<string, string | Plural>>

export const en = {
  'app.name': 'Stenobox',
  'app.skip': 'Skip to the content',
  'app.menu': 'Main menu',
  'app.library': 'Library',
  'app.settings': 'Settings',
  'app.administration': 'Administration',
  'app.signOut': 'Sign out',
  'app.loading': 'Loading…',
  'app.retry': 'Try again',
  'app.cancel': 'Cancel',
  'app.close': 'Close',
  'app.save': 'Save',
  'app.delete': 'Delete',
  'app.undo': 'Undo',
  'app.notFound': 'There is no such page.',
  'app.broken': 'Something went wrong on this page. Try again, or reload the page.',
  'app.offline': 'The appliance does not answer. Trying again…',
  'error.unreachable': 'The appliance does not answer. Check that it is running and that this computer can reach it.',
  'error.unexpected':
    'The appliance answered in a way that this page does not understand (status {status}). Reload the page and try again.',
  'notice.saved': 'Saved',

  'ui.copy': 'Copy',
  'ui.copied': 'Copied',
  'ui.copyRefused': 'The browser does not allow copying. Select the text and copy it yourself.',
  'ui.more': 'Show more',
  'ui.used': '{used}, no limit',
  'ui.usedOf': '{used} of {limit}',
  'role.owner': 'Owner',
  'role.administrator': 'Administrator',

  ...library
} satisfies Texts
