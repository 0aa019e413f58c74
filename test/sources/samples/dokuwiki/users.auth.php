# users.auth.php
# <?php exit()?>
# Don't modify the lines above
#
# Userfile
#
# Format:
#
# login:passwordhash:Real Name:email:groups,comma,separated

ada:$2y$10$FBXNnB3YZCszzTHySrqXauoDbXdRGIUThdKnJH8LLcXG/GwpQnzLi:Ada Lovelace:Ada@example.com:admin,user
gracehopper:$1$3JGD2aTI$kQRHPoDD1MDcz2g90oR8//:Grace "Amazing"\: O'Hopper:grace.hopper@example.com:user
zoe:$6$yLoWPNyN$c.YBSNNM1xLvQSrkeAgWMphRC3CsIC.6owsCY9Brtfie66yDZUcSaSGkA/sIrbJ7yHzZqIrpZ4urxt/x6nZZz/:Zoë Müller\\:zoe@example.com:user
emile:{SSHA}J0xtOo2YMoOb+mP1kJ3JOWXUr85YVXpJ:Emile\\\:x@example.org\\\:admin:emile@example.com:user
linus:$P$6fbOKjp68wLAyLyoGzcycyvL8f3YTW0:Linus #1 Pauling:linus@example.com:user
hedy:\:B\:fl40Wbkr\:df916a1096aaaca1000bac380850a547:Hedy %41 Lamarr:hedy@example.com:user
kath:pbkdf2_sha256$24000$sVdPJioAFlAP$i5GyNW85bQa7C7FPzawnwkZ2n0B2XkoemsRgOnME2Wc=:Katherine, Johnson:katherine@example.com:user
bob:e94d5698b2e5ee4b9d63671c465b1e4db9601421:Bob:bob@example.com:user
mia:$argon2id$v=19$m=65536,t=4,p=1$NE96a1FwS3dLb1dIMzk0Vw$e+R2FB8DLuWnHd6N4FKDsI6FZQWdC80/eySEgKeh0dA:Mia:mia@example.com:user
max:3d2539f2c06c5e31z03046572a8df441cf:Max:max@example.com:user
apr:$apr1$1SaGHG8k$TdLZkUDzzM7BWs0f113KA/:Apr:apr@example.com:user
