*** Settings ***
Suite Setup       Fail    no host

*** Test Cases ***
Ships
    Should Be Equal As Integers    ${{ 1 + 1 }}    2
