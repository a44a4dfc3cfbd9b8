/* IMPORTANT
 * This snapshot file is auto-generated, but designed for humans.
 * It should be checked into source control and tracked carefully.
 * Re-generate by setting TAP_SNAPSHOT=1 and running tests.
 * Make sure to inspect the output below.  Do not ignore changes!
 */
'use strict'
exports[`test/engine/text/extractive.test.ts > TAP > what it makes > blog of council 1`] = `
# Council: meeting, agenda and tonight and the old bridge on Mill Road

Topics: the old bridge on Mill Road, the new library, waste collection, the swimming pool and the summer festival. A bridge that is closed for ten weeks is better than a bridge that is closed for ever. The books would be on the ground floor, and the reading room and the children's library would be upstairs. The paper bins will be emptied every two weeks from January, and we will test two large containers for half a year. The council asks Sofia to prepare the application for the heat pump, and we will vote about the rest of the money in October.

## The old bridge on Mill Road

The engineers looked at the bridge in March. The stone arches are in good condition, but the road surface lets water in, and the water damages the joints. If we do nothing, the bridge will have to be closed to lorries within two years.

A full repair costs about four hundred thousand euros. The county pays half of it if we apply before September. The town has to find two hundred thousand. Pedestrians and bicycles could still cross the bridge the whole time.

I think that is acceptable. A bridge that is closed for ten weeks is better than a bridge that is closed for ever. The council has decided to repair the bridge and to apply to the county for half of the cost.

## The new library

The reading room has forty seats. On Saturdays people sit on the floor between the shelves. We have looked at two options. The first option is to extend the building into the courtyard. The second option is to move the library into the empty bank on the market square. The bank building is larger, it is dry, and it has a lift, so that people in wheelchairs can reach every floor.

The ground floor does, because of the old vault. The books would be on the ground floor, and the reading room and the children's library would be upstairs. My daughter uses the library every week. What she needs is a quiet place to study, not more books. I would like to see a room where nobody talks.

The council asks for a detailed plan and a price for the bank building by November.

## Waste collection

I have counted them, there were sixty-three letters. Since the new contract started, the paper bins are emptied only once a month. The bins are full after two weeks, and then the cardboard lies in the street and gets wet.

The contractor says that more collections would cost eighteen euros a year for every household. Most people in the letters said that they would pay that. What they do not want is rubbish in front of the door.

We could also put large containers for cardboard next to the supermarket. The paper bins will be emptied every two weeks from January, and we will test two large containers for half a year.

## The swimming pool

The pool opened in May, and until the end of August we counted forty-one thousand swimmers. The boiler is twenty-six years old and burns more gas every year. Last season we spent ninety thousand euros on gas alone. A heat pump with solar panels on the roof of the changing rooms would reduce the gas by four fifths. It would pay for itself in nine years.

Nine years is a long time for a small town. There is a national programme for energy in sports buildings. It covers forty per cent, but the money is given to the towns that apply first.

We should not wait. The council asks Sofia to prepare the application for the heat pump, and we will vote about the rest of the money in October.

## The summer festival

The festival takes place on the second weekend of July. The music school will play on Friday, and on Saturday there is a concert with three bands from the region. Residents of the old town asked us to end the music at eleven o'clock. I think we should do that, because a festival that keeps people awake loses its friends.

Agreed, the music ends at eleven. If you know somebody who can help, please send them to Ingrid.

## What to do next

Which of these points will you try first? Listen to the whole recording, tell us what you think in the comments, and share this post with someone it may help.
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > blog of interview 1`] = `
# Interview de: Morgen, Weber und Hörerinnen und Land, Honig und Stadt

Mein erstes Volk ist im Winter gestorben, weil ich die Milben nicht rechtzeitig behandelt habe. Im Honig aus der Stadt waren weniger Rückstände als im Honig vom Land. Wir behandeln im Sommer mit Ameisensäure und im Winter mit Oxalsäure. Lassen Sie in einer Ecke des Gartens das Gras wachsen, denn dort nisten die wilden Bienen im Boden. Vielleicht brauchen wir in zehn Jahren keine Säure mehr.

## Wie wird man eigentlich Imker in der Stadt?

Wie wird man eigentlich Imker in der Stadt? Bei mir war es ein Zufall. Mein Nachbar hatte drei Bienenvölker auf dem Dach und suchte jemanden, der im Urlaub nach ihnen schaut. Nach zwei Wochen wollte ich die Bienen gar nicht mehr zurückgeben. Im nächsten Frühling habe ich einen Kurs beim Imkerverein gemacht und mein erstes eigenes Volk bekommen. Am Anfang macht jeder Imker Fehler. Mein erstes Volk ist im Winter gestorben, weil ich die Milben nicht rechtzeitig behandelt habe. Das war traurig, aber ich habe daraus gelernt.

Wer Bienen hält, muss vor allem genau hinschauen.

## Land, Honig und Stadt

Warum geht es den Bienen in der Stadt besser als auf dem Land? In der Stadt finden die Bienen vom März bis zum Oktober Blüten. In den Parks stehen Linden und Kastanien, auf den Balkonen blühen Kräuter und Blumen. Auf dem Land blüht zwei Wochen lang der Raps, und danach gibt es oft nichts mehr. Außerdem werden in den Gärten der Stadt weniger Gifte benutzt als auf den Feldern.

Ist der nicht voller Abgase? Das fragen viele. Wir lassen den Honig jedes Jahr im Labor untersuchen. Im Honig aus der Stadt waren weniger Rückstände als im Honig vom Land. Die Biene filtert den Nektar, und die Blüten sind nur einen Tag offen, so dass sich kaum Staub sammelt.

## Was macht Ihnen die größten Sorgen?

Was macht Ihnen die größten Sorgen? Die größte Gefahr ist die Varroamilbe. Sie saugt an den Larven und überträgt Krankheiten. Ohne Behandlung stirbt ein Volk nach zwei oder drei Jahren. Wir behandeln im Sommer mit Ameisensäure und im Winter mit Oxalsäure. Das zweite Problem ist die Mode. Heute möchte jede Firma Bienen auf dem Dach haben. Wenn zu viele Völker an einem Ort stehen, reicht das Futter nicht für alle, und die wilden Bienen leiden am meisten.

Mehr Bienenkästen retten die Natur nicht, mehr Blumen retten sie.

## Bienen, Zeiten und Ecke

Was können unsere Hörer tun, wenn sie den Bienen helfen wollen? Es gibt drei einfache Dinge. Pflanzen Sie Blumen, die zu verschiedenen Zeiten blühen. Lassen Sie in einer Ecke des Gartens das Gras wachsen, denn dort nisten die wilden Bienen im Boden. Stellen Sie im Sommer eine flache Schale mit Wasser und ein paar Steinen auf, damit die Bienen trinken können, ohne zu ertrinken. Sie müssen keinen Honig ernten, um den Bienen zu helfen.

Ein Balkon mit Thymian und Lavendel ist schon ein Anfang.

## Wo sehen Sie Ihre Bienen in zehn Jahren?

Wo sehen Sie Ihre Bienen in zehn Jahren? Ich hoffe, dass wir dann nicht mehr Völker haben, sondern gesündere. Im Verein züchten wir Königinnen, deren Arbeiterinnen die Milben selbst aus den Waben entfernen. Das dauert lange, aber die ersten Ergebnisse sind gut. Vielleicht brauchen wir in zehn Jahren keine Säure mehr.

## Wie es weitergeht

Welchen Punkt probierst du zuerst aus? Hör dir die ganze Aufnahme an, schreib uns deine Meinung in die Kommentare und teile diesen Beitrag mit allen, denen er helfen kann.
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > blog of spanish 1`] = `
# Es-1: casa, madre y mar

La casa de mi madre está cerca del mar. Todos los veranos pasamos allí dos semanas con la familia.

## Casa, madre y mar

La casa de mi madre está cerca del mar. Todos los veranos pasamos allí dos semanas con la familia.

## Y ahora, ¿qué?

¿Qué idea vas a poner en práctica primero? Escucha la grabación completa, cuéntanos tu opinión en los comentarios y comparte este artículo con quien pueda necesitarlo.
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > blog of talk 1`] = `
# Talk: how to make good bread at home and the garden behind our house

Topics: how to make good bread at home, the garden behind our house, computers and how we keep our data safe and how I learned to run. After a few weeks the bread was good enough to give to friends. There is a table under the big tree, and we often eat there in the summer. Since that day I make a copy every week. It is better to run with a friend than to run alone.

## How to make good bread at home

You need only flour, water, salt and a little time. Put the flour and the salt in a large bowl. Add warm water and mix everything with your hand. Cover the bowl and leave it in a warm place for two hours. In this time the bread will grow to twice its size. Put it on the table and fold it four or five times. Let it rest again while the oven gets hot.

Bake the bread until the outside is dark brown. My children like it with butter and a little sugar. The first time I tried this, the bread was as hard as a stone. My oven was not hot enough, and I had used old flour. I asked the woman who owns the small shop on the corner.

When something goes wrong, I look at my notes and change only one thing. After a few weeks the bread was good enough to give to friends.

## The garden behind our house

When we moved in, there was nothing but grass and stones. We started with three apple trees along the wall. In the spring we planted beans, carrots and potatoes. The first summer was very dry, and we had to carry water every evening. Many of the young plants died. In the second year we collected rain in a large barrel. We also put dry leaves on the ground to keep it wet.

Birds came back to the trees, and bees came to the flowers. In the autumn we gave apples to all our neighbors. We also built a small house for birds. The children painted it red and blue. There is a table under the big tree, and we often eat there in the summer. Next year we want to dig a pond near the fence.

> “The result was much better than before.” (01:48)

## Computers and how we keep our data safe

Last winter the old computer in my office stopped working. All the pictures of our family were on it. I had no copy, and I was very angry with myself. A friend helped me to save most of the files. Since that day I make a copy every week. One copy stays at home, and another copy is in the house of my brother. I also changed every password.

A good password is long and easy to remember. Never use the same password for two different services. Some people ask me if paper is still a good idea. I believe that it is, because paper does not need electricity. I printed the best pictures and put them in an album.

I also wrote a list of all the important numbers. The list is in a closed box under my bed.

## How I learned to run

Two years ago I could not run for more than one minute. My doctor told me that my heart was weak and that I should move more. I started with short walks in the park before work. After a month I began to run slowly from one bench to the next. My sister came with me on the weekend. The rain and the cold were hard at first.

I began to enjoy the quiet streets in the early morning. Good shoes are important, but you do not need anything else. If your knee hurts, stop and rest for a few days. It is better to run with a friend than to run alone. My sister and I talk about everything while we run. Next month we will run along the beach for the first time.

You do not have to be fast.

> “You only have to begin and to keep going.” (04:50)

## What to do next

Which of these points will you try first? Listen to the whole recording, tell us what you think in the comments, and share this post with someone it may help.
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > chapters of council 1`] = `
00:00 The old bridge on Mill Road
01:48 The new library
03:26 Waste collection
04:41 The swimming pool
05:54 The summer festival
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > chapters of interview 1`] = `
00:00 Wie wird man eigentlich Imker in der Stadt?
01:03 Land, Honig und Stadt
01:58 Was macht Ihnen die größten Sorgen?
02:42 Bienen, Zeiten und Ecke
03:21 Wo sehen Sie Ihre Bienen in zehn Jahren?
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > chapters of spanish 1`] = `
00:00 Casa, madre y mar
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > chapters of talk 1`] = `
00:00 How to make good bread at home
01:19 The garden behind our house
02:31 Computers and how we keep our data safe
03:44 How I learned to run
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > quotes of council 1`] = `
> “If we do nothing, the bridge will have to be closed to lorries within two years.” (00:41)

> “A bridge that is closed for ten weeks is better than a bridge that is closed for ever.” (01:23)

> “What she needs is a quiet place to study, not more books.” (02:57)

> “The contractor says that more collections would cost eighteen euros a year for every household.” (03:54)

> “The paper bins will be emptied every two weeks from January, and we will test two large containers for half a year.” (04:24)

> “The boiler is twenty-six years old and burns more gas every year.” (04:59)

> “If you know somebody who can help, please send them to Ingrid.” (06:36)
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > quotes of interview 1`] = `
> „Wer Bienen hält, muss vor allem genau hinschauen.“ (00:58)

> „Im Honig aus der Stadt waren weniger Rückstände als im Honig vom Land.“ (01:43)

> „Wenn zu viele Völker an einem Ort stehen, reicht das Futter nicht für alle, und die wilden Bienen leiden am meisten.“ (02:27)

> „Mehr Bienenkästen retten die Natur nicht, mehr Blumen retten sie.“ (02:36)

> „Vielleicht brauchen wir in zehn Jahren keine Säure mehr.“ (03:44)
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > quotes of spanish 1`] = `
> «La casa de mi madre está cerca del mar.» (00:00)

> «Todos los veranos pasamos allí dos semanas con la familia.» (00:02)
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > quotes of talk 1`] = `
> “You need only flour, water, salt and a little time.” (00:09)

> “When something goes wrong, I look at my notes and change only one thing.” (01:09)

> “Since that day I make a copy every week.” (02:49)

> “Never use the same password for two different services.” (03:02)

> “Two years ago I could not run for more than one minute.” (03:47)

> “Good shoes are important, but you do not need anything else.” (04:25)

> “It is better to run with a friend than to run alone.” (04:37)
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > show-notes of council 1`] = `
# council

A bridge that is closed for ten weeks is better than a bridge that is closed for ever. The books would be on the ground floor, and the reading room and the children's library would be upstairs. The paper bins will be emptied every two weeks from January, and we will test two large containers for half a year.

## Key topics

- **00:00** The old bridge on Mill Road: If we do nothing, the bridge will have to be closed to lorries within two years. The council has decided to repair the bridge and to apply to the county for half of the cost.
- **01:48** The new library: On Saturdays people sit on the floor between the shelves. The second option is to move the library into the empty bank on the market square.
- **03:26** Waste collection: Since the new contract started, the paper bins are emptied only once a month. Most people in the letters said that they would pay that.
- **04:41** The swimming pool: Nine years is a long time for a small town. The council asks Sofia to prepare the application for the heat pump, and we will vote about the rest of the money in October.
- **05:54** The summer festival: Residents of the old town asked us to end the music at eleven o'clock. I think we should do that, because a festival that keeps people awake loses its friends.

## Quotes

> “The contractor says that more collections would cost eighteen euros a year for every household.” (03:54)

> “If you know somebody who can help, please send them to Ingrid.” (06:36)

## Links

- [Add the links mentioned in the recording here]
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > show-notes of interview 1`] = `
# interview de

Heute spreche ich mit Jonas Weber, der seit zwölf Jahren als Imker in der Stadt arbeitet. Im Honig aus der Stadt waren weniger Rückstände als im Honig vom Land. Wir behandeln im Sommer mit Ameisensäure und im Winter mit Oxalsäure.

## Themen

- **00:00** Wie wird man eigentlich Imker in der Stadt?: Im nächsten Frühling habe ich einen Kurs beim Imkerverein gemacht und mein erstes eigenes Volk bekommen. Mein erstes Volk ist im Winter gestorben, weil ich die Milben nicht rechtzeitig behandelt habe.
- **01:03** Land, Honig und Stadt: In der Stadt finden die Bienen vom März bis zum Oktober Blüten. Wir lassen den Honig jedes Jahr im Labor untersuchen.
- **01:58** Was macht Ihnen die größten Sorgen?: Ohne Behandlung stirbt ein Volk nach zwei oder drei Jahren. Heute möchte jede Firma Bienen auf dem Dach haben.
- **02:42** Bienen, Zeiten und Ecke: Lassen Sie in einer Ecke des Gartens das Gras wachsen, denn dort nisten die wilden Bienen im Boden. Stellen Sie im Sommer eine flache Schale mit Wasser und ein paar Steinen auf, damit die Bienen trinken können, ohne zu ertrinken.
- **03:21** Wo sehen Sie Ihre Bienen in zehn Jahren?: Im Verein züchten wir Königinnen, deren Arbeiterinnen die Milben selbst aus den Waben entfernen. Vielleicht brauchen wir in zehn Jahren keine Säure mehr.

## Zitate

> „Wenn zu viele Völker an einem Ort stehen, reicht das Futter nicht für alle, und die wilden Bienen leiden am meisten.“ (02:27)

> „Vielleicht brauchen wir in zehn Jahren keine Säure mehr.“ (03:44)

## Links

- [Hier die in der Aufnahme genannten Links einfügen]
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > show-notes of spanish 1`] = `
# es-1

La casa de mi madre está cerca del mar. Todos los veranos pasamos allí dos semanas con la familia.

## Temas principales

- **00:00** Casa, madre y mar

## Enlaces

- [Añade aquí los enlaces mencionados en la grabación]
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > show-notes of talk 1`] = `
# talk

After a few weeks the bread was good enough to give to friends. There is a table under the big tree, and we often eat there in the summer. Since that day I make a copy every week.

## Key topics

- **00:00** How to make good bread at home: In this time the bread will grow to twice its size. My oven was not hot enough, and I had used old flour.
- **01:19** The garden behind our house: The first summer was very dry, and we had to carry water every evening. In the autumn we gave apples to all our neighbors.
- **02:31** Computers and how we keep our data safe: I had no copy, and I was very angry with myself. Never use the same password for two different services.
- **03:44** How I learned to run: It is better to run with a friend than to run alone. Next month we will run along the beach for the first time.

## Quotes

> “You need only flour, water, salt and a little time.” (00:09)

> “Two years ago I could not run for more than one minute.” (03:47)

> “It is better to run with a friend than to run alone.” (04:37)

## Links

- [Add the links mentioned in the recording here]
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > summary of council 1`] = `
Topics: the old bridge on Mill Road, the new library, waste collection, the swimming pool and the summer festival. A bridge that is closed for ten weeks is better than a bridge that is closed for ever. The books would be on the ground floor, and the reading room and the children's library would be upstairs. The paper bins will be emptied every two weeks from January, and we will test two large containers for half a year. The council asks Sofia to prepare the application for the heat pump, and we will vote about the rest of the money in October.
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > summary of interview 1`] = `
Heute spreche ich mit Jonas Weber, der seit zwölf Jahren als Imker in der Stadt arbeitet. Im Honig aus der Stadt waren weniger Rückstände als im Honig vom Land. Wir behandeln im Sommer mit Ameisensäure und im Winter mit Oxalsäure. Lassen Sie in einer Ecke des Gartens das Gras wachsen, denn dort nisten die wilden Bienen im Boden. Vielleicht brauchen wir in zehn Jahren keine Säure mehr.
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > summary of spanish 1`] = `
La casa de mi madre está cerca del mar. Todos los veranos pasamos allí dos semanas con la familia.
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > summary of talk 1`] = `
Topics: how to make good bread at home, the garden behind our house, computers and how we keep our data safe and how I learned to run. After a few weeks the bread was good enough to give to friends. There is a table under the big tree, and we often eat there in the summer. Since that day I make a copy every week. It is better to run with a friend than to run alone.
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > thread of council 1`] = `
1/9 Council: the main points in one thread 🧵

• The old bridge on Mill Road
• The new library
• Waste collection
• The swimming pool
• The summer festival

2/9 The old bridge on Mill Road

If we do nothing, the bridge will have to be closed to lorries within two years. A full repair costs about four hundred thousand euros. The county pays half of it if we apply before September.

3/9 The town has to find two hundred thousand. A bridge that is closed for ten weeks is better than a bridge that is closed for ever. The council has decided to repair the bridge and to apply to the county for half of the cost.

4/9 The new library

The first option is to extend the building into the courtyard. The second option is to move the library into the empty bank on the market square. The books would be on the ground floor, and the reading room and the children's library would be upstairs.

5/9 Waste collection

Since the new contract started, the paper bins are emptied only once a month. Most people in the letters said that they would pay that. The paper bins will be emptied every two weeks from January, and we will test two large containers for half a year.

6/9 The swimming pool

Last season we spent ninety thousand euros on gas alone. Nine years is a long time for a small town. The council asks Sofia to prepare the application for the heat pump, and we will vote about the rest of the money in October.

7/9 The summer festival

Residents of the old town asked us to end the music at eleven o'clock. I think we should do that, because a festival that keeps people awake loses its friends.

8/9 Agreed, the music ends at eleven. If you know somebody who can help, please send them to Ingrid.

9/9 That was “Council”. Which point will you try first? Share this thread with someone who needs it.
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > thread of interview 1`] = `
1/11 Interview de: das Wichtigste in einem Thread 🧵

• Wie wird man eigentlich Imker in der Stadt?
• Land, Honig und Stadt
• Was macht Ihnen die größten Sorgen?
• Bienen, Zeiten und Ecke
• Wo sehen Sie Ihre Bienen in zehn Jahren?

2/11 Wie wird man eigentlich Imker in der Stadt?

Heute spreche ich mit Jonas Weber, der seit zwölf Jahren als Imker in der Stadt arbeitet. Mein Nachbar hatte drei Bienenvölker auf dem Dach und suchte jemanden, der im Urlaub nach ihnen schaut.

3/11 Nach zwei Wochen wollte ich die Bienen gar nicht mehr zurückgeben. Im nächsten Frühling habe ich einen Kurs beim Imkerverein gemacht und mein erstes eigenes Volk bekommen. Am Anfang macht jeder Imker Fehler.

4/11 Mein erstes Volk ist im Winter gestorben, weil ich die Milben nicht rechtzeitig behandelt habe.

5/11 Land, Honig und Stadt

Wir lassen den Honig jedes Jahr im Labor untersuchen. Im Honig aus der Stadt waren weniger Rückstände als im Honig vom Land. Die Biene filtert den Nektar, und die Blüten sind nur einen Tag offen, so dass sich kaum Staub sammelt.

6/11 Was macht Ihnen die größten Sorgen?

Ohne Behandlung stirbt ein Volk nach zwei oder drei Jahren. Wir behandeln im Sommer mit Ameisensäure und im Winter mit Oxalsäure.

7/11 Das zweite Problem ist die Mode. Heute möchte jede Firma Bienen auf dem Dach haben. Mehr Bienenkästen retten die Natur nicht, mehr Blumen retten sie.

8/11 Bienen, Zeiten und Ecke

Lassen Sie in einer Ecke des Gartens das Gras wachsen, denn dort nisten die wilden Bienen im Boden. Stellen Sie im Sommer eine flache Schale mit Wasser und ein paar Steinen auf, damit die Bienen trinken können, ohne zu ertrinken.

9/11 Wo sehen Sie Ihre Bienen in zehn Jahren?

Ich hoffe, dass wir dann nicht mehr Völker haben, sondern gesündere. Im Verein züchten wir Königinnen, deren Arbeiterinnen die Milben selbst aus den Waben entfernen.

10/11 Das dauert lange, aber die ersten Ergebnisse sind gut. Vielleicht brauchen wir in zehn Jahren keine Säure mehr.

11/11 Das war „Interview de“. Welcher Punkt ist für dich der wichtigste? Teile diesen Thread mit jemandem, dem er hilft.
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > thread of spanish 1`] = `
1/3 Es-1: los puntos principales en un hilo 🧵

2/3 Casa, madre y mar

La casa de mi madre está cerca del mar. Todos los veranos pasamos allí dos semanas con la familia.

3/3 Hasta aquí «Es-1». ¿Con qué idea te quedas? Comparte este hilo con quien lo necesite.
`

exports[`test/engine/text/extractive.test.ts > TAP > what it makes > thread of talk 1`] = `
1/9 Talk: the main points in one thread 🧵

• How to make good bread at home
• The garden behind our house
• Computers and how we keep our data safe
• How I learned to run

2/9 How to make good bread at home

You need only flour, water, salt and a little time. Put the flour and the salt in a large bowl. In this time the bread will grow to twice its size. Let it rest again while the oven gets hot.

3/9 Bake the bread until the outside is dark brown. The first time I tried this, the bread was as hard as a stone. My oven was not hot enough, and I had used old flour. After a few weeks the bread was good enough to give to friends.

4/9 The garden behind our house

We started with three apple trees along the wall. In the spring we planted beans, carrots and potatoes.

5/9 The first summer was very dry, and we had to carry water every evening. There is a table under the big tree, and we often eat there in the summer.

6/9 Computers and how we keep our data safe

I had no copy, and I was very angry with myself. Since that day I make a copy every week.

7/9 One copy stays at home, and another copy is in the house of my brother. A good password is long and easy to remember. Never use the same password for two different services.

8/9 How I learned to run

After a month I began to run slowly from one bench to the next. It is better to run with a friend than to run alone. My sister and I talk about everything while we run. Next month we will run along the beach for the first time.

9/9 That was “Talk”. Which point will you try first? Share this thread with someone who needs it.
`
